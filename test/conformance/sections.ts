/**
 * The sections of the three documents in their order, under names of ours: how many rows each has, as
 * `count-rows.ts` counts them, and how many facts they are here. A row may hold several, as a list of fields
 * in one line does, and has at least one.
 */
const PINNED = `
1.service 5 5
1.endpoints 0 0
1.token 13 15
1.authorize 6 7
1.device-code 3 8
1.revoke 2 3
1.user 10 44
1.me 4 4
1.users 1 12
1.authentication 14 18
1.events 0 0
1.deauthorized 10 10
1.errors 7 7
1.limits 5 6
1.paging 5 5
1.versioning 3 3
2.service 2 2
2.resources 0 0
2.archived-session 5 14
2.activity 10 12
2.label 9 12
2.collaborator 8 14
2.whiteboard 14 20
2.content 1 4
2.storage 8 14
2.recording 16 55
2.report 1 20
2.created 1 15
2.transitions 9 9
2.endpoints 1 1
2.archiving 3 20
2.labels 7 17
2.collaborators 4 12
2.content-calls 4 9
2.board-list 2 7
2.storage-calls 6 11
2.recording-calls 6 17
2.session-calls 3 13
2.authentication 3 3
2.errors 22 24
2.limits 7 7
3.service 2 2
3.resources 0 0
3.peering 14 27
3.number 17 55
3.consent 5 21
3.consent-number 1 3
3.ported 1 22
3.sip 3 19
3.transitions 7 7
3.endpoints 1 1
3.exchange 6 15
3.number-calls 6 16
3.consent-calls 8 19
3.settings 4 18
3.events 28 28
3.errors 18 21
3.limits 7 7
3.versioning 1 1
`

export interface Section {
  id: string
  document: number
  rows: number
  facts: number
}

export const SECTIONS: readonly Section[] = PINNED.trim()
  .split('\n')
  .map((line) => {
    const [id = '', rows, facts] = line.split(' ')
    return { id, document: Number(id[0]), rows: Number(rows), facts: Number(facts) }
  })
