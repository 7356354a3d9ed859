/** Rules of document 2 besides operations, refusals, fields and values. */
export const SESSION_RULES = `
= 2.service
1 whiteboards archives, labels, people, content and the list
  conformance/operations: are those of the documents, each once
2 sessions storage, recordings, reports and dial-in
  conformance/operations: are those of the documents, each once
= 2.archived-session
2 inside a listed session starts after the one bound and ends before the other
  sandbox/protocol/paging: of whiteboards leave out what starts or ends on their bounds
5 outsiders have an empty address
  conformance/answers: of people from outside has an empty address
= 2.activity
8 outsiders have an empty address
  conformance/answers: of people from outside has an empty address
3 file its archive file is fetched with a bearer
  scenario/archive-files: are stored once each, under the hash of their content
= 2.label
7 one-default only one label is the default
  sandbox/whiteboards/labels: can be made, and only one is the default
9 count-for-admins counts of boards go to admins alone
  sandbox/whiteboards/boards: tell how many boards a label has to admins alone, and have one default
= 2.collaborator
3 kinds users of the account, people from outside, channels
  sandbox/whiteboards/boards: are users of the account, people from outside and channels, with one owner first
5 user IDs and addresses of users of the account alone
  conformance/answers: of a collaborator has the IDs of their kind alone
6 address-listed told by the list, and not by what was shared
  conformance/answers: of lists leaves out what details alone have
7 channel IDs of channels alone
  conformance/answers: of a collaborator has the IDs of their kind alone
= 2.whiteboard
7 readonly locked boards can be read and not changed
  sandbox/content: that is locked can be read, and not changed
10 scopes every scope of sharing is there
  sandbox/whiteboards/boards: has every sharing scope, locked, trashed and non-cloud boards
11 no-role where the scope is restricted
  conformance/answers: of sharing has no role where it is restricted
= 2.content
1 first-page at most ten thousand objects, of the first page
  sandbox/whiteboards/boards: end at a thousand people and ten thousand objects
= 2.storage
6 secrets written and never returned
  sandbox/storage: keeps its secrets out of every answer and out of the state, which a later run finds
7 listed the selected one is told by the list alone
  conformance/answers: of lists leaves out what details alone have
8 detailed the state is told by the detail alone
  conformance/answers: of lists leaves out what details alone have
= 2.recording
11 on-request the download token comes where it is asked for
  sandbox/real-client: for recordings, also of sessions whose IDs are awkward
13 bare items of two types lack ID, size, status and kind
  conformance/answers: of recording files of two types lacks ID, status, size and kind
15 key of letters and digits, 36 at most
  conformance/answers: of a participant’s file has a key of 36 letters and digits at most
10 audio with the detail of a session alone
  conformance/answers: of lists leaves out what details alone have
16 download with the JWT, also over a redirect
  security/download-origins: sends another origin no JWT for a recording file
16 password the JWT as a parameter for what a password protects
  scenario/archive-limits: behind a password are fetched with the JWT in the query, which is kept nowhere
= 2.report
1 twice-encoded IDs with odd slashes
  sandbox/authorizer: arrives only when it was encoded as often as the documents say
= 2.created
1 dial-in ways to dial in
  sandbox/video/sessions: is told with its ways to dial in
= 2.transitions
1 apply a label replaces the one before
  sandbox/classification: is the label applied last, and the board counts of the labels follow
2 remove no label
  sandbox/classification: can be removed, and removing it again does no harm
3 draft a changed label is a draft
  sandbox/whiteboards/labels: is a draft, which nobody sees until it is published
4 owner who was the owner becomes a co-owner
  sandbox/collaborator-roles: becomes a co-owner when another owner is added, and may then leave
5 trash a deleted recording is in the trash, with its time
  sandbox/recording-writes: goes into the trash alone and comes back
6 recover within thirty days
  sandbox/recording-writes: can be recovered after $days days: $status
7 storage-off all locations go
  sandbox/storage: turned off takes every location with it, and needs a new one to be on again
8 verify-open two states, the way between them is left open
  sandbox/storage: that cannot be reached cannot be selected until a key opens them
9 storage-in-use is not deleted
  sandbox/storage: refuse what the documents refuse
= 2.endpoints
1 parameters-open of the lists
  open: docs/readings.md names them; test/sandbox/protocol/paging.test.ts refuses others
= 2.archiving
1 future-end becomes now, and is told
  sandbox/board-lists: end now where the end lies in the future, which the answer tells and later pages take
= 2.labels
2 create its fields, those it needs, HTTP or HTTPS
  conformance/operations: of %s is refused: %o
4 irreversible what is deleted is gone for good
  sandbox/whiteboards/labels: is gone for good, and no board carries it
5 update only what is supplied changes, a guideline over HTTPS
  sandbox/whiteboards/labels: may name a guideline over HTTPS
7 not-in-government a label cannot be removed there
  sandbox/classification: requires the feature, and cannot be removed in the government cluster
= 2.collaborators
1 thousand the list ends there
  sandbox/collaborators: goes past what the list shows, which ends at a thousand
2 one-of address or channel, never both
  conformance/operations: of %s is refused: %o
2 answer without addresses, a hundred at most
  sandbox/collaborators: answers a hundred of those it was shared with
2 inside a new owner is of the account
  sandbox/collaborators: is refused with nobody, with somebody twice and with owners from outside
3 roles the same rules for a change
  sandbox/collaborator-roles: becomes a co-owner when a role change names a new owner, who then has the board
4 leave a collaborator is taken off
  sandbox/collaborators: is gone, and comes back where they are shared with again
= 2.content-calls
1 not-in-government none of the three
  sandbox/board-doors: lacks content and the removal of a label, and nothing else
3 save adds and replaces
  sandbox/content: adds what is new, with an ID if it has none, and replaces what is there
4 delete by IDs
  sandbox/content: takes them off the page, whoever drew them
= 2.board-list
1 user-filter an ID or address with an admin scope, otherwise me
  sandbox/whiteboards/boards: takes a user by ID or address with an admin scope, and only me without one
2 more-open further operations
  open: nothing to hold
= 2.storage-calls
1 on-off with a location
  sandbox/storage: are made without being selected, changed, selected and deleted
3 all-required a new location needs all of its fields
  conformance/operations: of %s is refused: %o
6 fixed bucket and region stay
  sandbox/storage: refuse what the documents refuse
= 2.recording-calls
3 needs-cloud cloud recording has to be on
  sandbox/recording-refusals: is refused without %s
4 action to recover is all that there is
  sandbox/recording-refusals: needs an action that there is
5 host-may the setting that lets hosts delete
  sandbox/recording-refusals: is refused without %s
= 2.session-calls
1 range a month, within six months
  sandbox/protocol/paging: of session reports reach six months back and no further
1 plan paid, with the dashboard
  sandbox/video/sessions: is refused without %s, with %i and no code
2 on-demand in no list until somebody joins
  sandbox/video/sessions: is in no list until somebody joins it, live while it lasts, and past after
2 password alphanumeric, and recording none by default
  sandbox/video/sessions: has no password and no recording if none was asked for
3 more-open further operations and codes
  open: nothing to hold
= 2.authentication
1 scopes each operation's open it, and no other
  sandbox/board-doors: of $call open it one by one, and no other does
2 jwt for video sessions
  sandbox/authorizer: accepts a video token only if it is signed with the secret and valid for at most an hour
3 counts for admins alone
  sandbox/whiteboards/boards: tell how many boards a label has to admins alone, and have one default
= 2.errors
22 unknown-label its deletion is answered as a wrong parameter
  sandbox/whiteboards/labels: is gone for good, and no board carries it
22 refused-200 a recovery may be refused inside a success
  sandbox/recording-refusals: may be answered 200 with an error inside, and leaves it in the trash
22 uncoded the session list is refused without a code
  sandbox/video/sessions: is refused without %s, with %i and no code
= 2.limits
1 labels thirty
  sandbox/whiteboards/labels: are thirty at most
2 objects ten thousand
  sandbox/content: takes ten thousand at once, and a page shows as many
3 people a thousand listed, a hundred answered
  sandbox/collaborators: goes past what the list shows, which ends at a thousand
4 recovery thirty days
  sandbox/recording-writes: can be recovered after $days days: $status
5 report a month, six months back
  sandbox/protocol/paging: of session reports reach six months back and no further
6 token-age fifteen minutes
  sandbox/protocol/paging: dies after 15 minutes of the sandbox clock
7 rate-labels of each operation
  conformance/operations: document $document, item $item: $call
`
