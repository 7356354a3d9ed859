/** What each sheet shows, for the table of contents. */
export const CONTENTS: Readonly<Record<string, string>> = {
  Findings: 'every difference that was tested, with its intervals',
  'Quality by month': 'ratings of audio, video and screen share, month by month',
  Targets: 'each target, and whether it was met',
  'Worst session keys': 'keys that cost most participant-minutes in bad sessions',
  'Key groups': 'your groups of session keys beside each other',
  'Bad ratings crossed': 'bad ratings by size, telephone and recording',
  'Duration and size': 'sessions by length and number of participants',
  'By hour and weekday': 'sessions and bad ratings by hour of the week',
  'Use of features': 'how many sessions used which feature',
  'Worst sessions': 'the sessions with the worst ratings',
  'Audio by day': 'audio ratings of each day',
  'Video by day': 'video ratings of each day',
  'Screen share by day': 'screen share ratings of each day',
}
