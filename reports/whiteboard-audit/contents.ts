/** What each sheet shows, for the table of contents. */
export const CONTENTS: Readonly<Record<string, string>> = {
  'Unusual activity': 'days, nights and people that stand out, with the test of each',
  Sessions: 'who opened which board, when, and for how long',
  Participants: 'people of the account, with their time and activities',
  'From outside': 'people without an address in the account',
  Activities: 'what was done, by type, board and person',
  Boards: 'how boards are shared and labeled, and which were used',
  Collaborators: 'everyone with whom a board is shared by name',
  Files: 'archived files: stored, pending, lost and removed',
  Incidents: 'incidents of the period, and those about its sessions and files',
  'All stays': 'every stay of every participant',
  'All activities': 'every activity with its time, person and file',
  'All collaborators': 'every person with access to each board',
  'Changes since': 'what changed since the earlier moment',
}
