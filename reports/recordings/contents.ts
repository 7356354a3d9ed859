/** What each sheet shows, for the table of contents. */
export const CONTENTS: Readonly<Record<string, string>> = {
  'Storage by month': 'GB stored and added, by the month of the session',
  'Storage by session key': 'which session keys use the most storage',
  'Storage by type': 'GB by kind of file',
  'Leaving the trash': 'files that the service will delete, the next ones first',
  'By retention rule': 'what decides when recordings leave, and which leave next',
  'Participant files': 'video and audio files of single participants',
  'Storage locations':
    'where recordings are stored, and whether the service can reach each location',
  'Without recording': 'rules by month, and the sessions that lack a required recording',
  'All recordings': 'every recording with its size and files',
}
