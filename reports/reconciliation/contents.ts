/** What each sheet shows, for the table of contents. */
export const CONTENTS: Readonly<Record<string, string>> = {
  Streams: 'each stream’s verdict, with the reason',
  Records: 'records received, and what became of each',
  Rows: 'row counts before and after the day, and what was written',
  Slices: 'slices that were planned, and those that were read completely',
  'Not proven': 'slices that were not complete when the day ended',
  Files: 'files by state, and how many reached it on the day',
  Evidence: 'log entries and signed checkpoints of the day',
  Runs: 'every run of the day with its verdict',
}
