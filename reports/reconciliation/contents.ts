/** What each sheet shows, for the table of contents. */
export const CONTENTS: Readonly<Record<string, string>> = {
  Streams: 'the verdict of each stream, with its reason',
  Records: 'records received, and what became of each',
  Rows: 'rows before and after, and why the count moved',
  Slices: 'planned slices, and those read to their end',
  'Not proven': 'slices that were not complete when the day ended',
  Files: 'files by state, and how many reached it on the day',
  Evidence: 'log entries and signed checkpoints of the day',
  Runs: 'every run of the day with its verdict',
}
