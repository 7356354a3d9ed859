/** Rules of document 2 besides operations, refusals, fields and values. */
export const SESSION_RULES = `
= 2.service
1 whiteboards archives, labels, people, content and the list
  conformance/operations: are the documented operations, each once
2 sessions storage, recordings, reports and dial-in
  conformance/operations: are the documented operations, each once
= 2.archived-session
2 inside a listed session starts after the one bound and ends before the other
  sandbox/protocol/paging: of archived sessions exclude those that start exactly on the bound
5 outsiders have an empty address
  conformance/answers: has an empty address for people from outside
= 2.activity
8 outsiders have an empty address
  conformance/answers: has an empty address for people from outside
3 file its archive file is fetched with a bearer
  scenario/archive-files: are stored once each, under the hash of their content
= 2.label
7 one-default only one label is the default
  sandbox/whiteboards/labels: can be created, and only one is the default
9 count-for-admins counts of boards go to admins alone
  sandbox/whiteboards/boards: show a label’s board count only to admins, and have one default label
= 2.collaborator
3 kinds users of the account, people from outside, channels
  sandbox/whiteboards/boards: include users, outsiders and channels as collaborators, with one owner first
5 user IDs and addresses of users of the account alone
  conformance/answers: has only the IDs of a collaborator’s own kind
6 address-listed told by the list, and not by what was shared
  conformance/answers: omits the fields that only other calls show
7 channel IDs of channels alone
  conformance/answers: has only the IDs of a collaborator’s own kind
= 2.whiteboard
7 readonly locked boards can be read and not changed
  sandbox/content: can be read, but not changed, if the board is locked
10 scopes every scope of sharing is there
  sandbox/whiteboards/boards: has boards of every sharing scope, and locked, trashed and non-cloud boards
11 no-role where the scope is restricted
  conformance/answers: has no sharing role if sharing is restricted
= 2.content
1 first-page at most ten thousand objects, of the first page
  sandbox/whiteboards/boards: are limited to a thousand collaborators and ten thousand objects
= 2.storage
6 secrets written and never returned
  sandbox/storage: keeps its secrets out of its responses and out of the saved state
7 listed the selected one is told by the list alone
  conformance/answers: omits the fields that only other calls show
8 detailed the state is told by the detail alone
  conformance/answers: omits the fields that only other calls show
= 2.recording
11 on-request the download token comes where it is asked for
  sandbox/real-client: for recordings, also with slashes or plus signs in the session ID
13 bare items of two types lack ID, size, status and kind
  conformance/answers: has no ID, status, size or recording type for files of type CC and TIMELINE
15 key of letters and digits, 36 at most
  conformance/answers: has a key of at most 36 letters and digits for a participant’s file
10 audio with the detail of a session alone
  conformance/answers: omits the fields that only other calls show
16 download with the JWT, also over a redirect
  security/download-origins: sends another origin no JWT for a recording file
16 password the JWT as a parameter for what a password protects
  scenario/archive-limits: are fetched with the JWT in the query if password-protected; the JWT is not stored
= 2.report
1 twice-encoded IDs with odd slashes
  sandbox/authorizer: is found only if it is encoded once or twice, as documented
= 2.created
1 dial-in ways to dial in
  sandbox/video/sessions: is returned with its dial-in numbers
= 2.transitions
1 apply a label replaces the one before
  sandbox/classification: is the label that was applied last, and changes the labels’ board counts
2 remove no label
  sandbox/classification: can be removed, even if it was removed before
3 draft a changed label is a draft
  sandbox/whiteboards/labels: is a draft that nobody sees until it is published
4 owner who was the owner becomes a co-owner
  sandbox/collaborator-roles: becomes a co-owner when another owner is added, and may then leave
5 trash a deleted recording is in the trash, with its time
  sandbox/recording-writes: can be trashed alone and recovered
6 recover within thirty days
  sandbox/recording-writes: can be recovered within 30 days: status $status after $days days
7 storage-off all locations go
  sandbox/storage: loses every location when it is turned off, and needs a new one to be turned on again
8 verify-open two states, the way between them is left open
  sandbox/storage: cannot be selected while unreachable, until a working key is set
9 storage-in-use is not deleted
  sandbox/storage: have the documented refusals
= 2.endpoints
1 parameters-open of the lists
  open: docs/readings.md names them; test/sandbox/protocol/paging.test.ts refuses others
= 2.archiving
1 future-end becomes now, and is told
  sandbox/board-lists: replaces a future end with now, in the response and on later pages
= 2.labels
2 create its fields, those it needs, HTTP or HTTPS
  conformance/operations: of %s is refused: %o
4 irreversible what is deleted is gone for good
  sandbox/whiteboards/labels: no longer exists, and no board has it
5 update only what is supplied changes, a guideline over HTTPS
  sandbox/whiteboards/labels: may name a guideline over HTTPS
7 not-in-government a label cannot be removed there
  sandbox/classification: requires the feature, and cannot be removed in the government cluster
= 2.collaborators
1 thousand the list ends there
  sandbox/collaborators: can add collaborators beyond the thousand that the list shows
2 one-of address or channel, never both
  conformance/operations: of %s is refused: %o
2 answer without addresses, a hundred at most
  sandbox/collaborators: returns at most a hundred of the added collaborators
2 inside a new owner is of the account
  sandbox/collaborators: is refused without collaborators, with a duplicate, and with an owner from outside
3 roles the same rules for a change
  sandbox/collaborator-roles: becomes a co-owner when a role change makes another collaborator the owner
4 leave a collaborator is taken off
  sandbox/collaborators: disappears from the list, and gets the same ID when added again
= 2.content-calls
1 not-in-government none of the three
  sandbox/board-doors: lacks only whiteboard content and the removal of a board’s label
3 save adds and replaces
  sandbox/content: adds new objects, with an ID if they have none, and replaces existing ones
4 delete by IDs
  sandbox/content: removes them from the page, also those that no call saved
= 2.board-list
1 user-filter an ID or address with an admin scope, otherwise me
  sandbox/whiteboards/boards: accepts a user’s ID or address with an admin scope, and only “me” without one
2 more-open further operations
  open: nothing to hold
= 2.storage-calls
1 on-off with a location
  sandbox/storage: can be created unselected, changed, selected and deleted
3 all-required a new location needs all of its fields
  conformance/operations: of %s is refused: %o
6 fixed bucket and region stay
  sandbox/storage: have the documented refusals
= 2.recording-calls
3 needs-cloud cloud recording has to be on
  sandbox/recording-refusals: has the documented response without the switch %s
4 action to recover is all that there is
  sandbox/recording-refusals: requires a known action
5 host-may the setting that lets hosts delete
  sandbox/recording-refusals: has the documented response without the switch %s
= 2.session-calls
1 range a month, within six months
  sandbox/protocol/paging: of session reports reach at most six months back
1 plan paid, with the dashboard
  sandbox/video/sessions: is refused for an account without %s, with status %i and no code
2 on-demand in no list until somebody joins
  sandbox/video/sessions: is not listed until somebody joins, then listed as live, and after its end as past
2 password alphanumeric, and recording none by default
  sandbox/video/sessions: has no password and no recording by default
3 more-open further operations and codes
  open: nothing to hold
= 2.authentication
1 scopes each operation's open it, and no other
  sandbox/board-doors: give access to $call, and no other scope does
2 jwt for video sessions
  sandbox/authorizer: accepts a video token only if it is signed with the secret and valid for at most an hour
3 counts for admins alone
  sandbox/whiteboards/boards: show a label’s board count only to admins, and have one default label
= 2.errors
22 unknown-label its deletion is answered as a wrong parameter
  sandbox/whiteboards/labels: no longer exists, and no board has it
22 refused-200 a recovery may be refused inside a success
  sandbox/recording-refusals: may be answered with 200 and an error in the body, and then changes nothing
22 uncoded the session list is refused without a code
  sandbox/video/sessions: is refused for an account without %s, with status %i and no code
= 2.limits
1 labels thirty
  sandbox/whiteboards/labels: are limited to thirty
2 objects ten thousand
  sandbox/content: accepts ten thousand objects at once, and a page shows at most that many
3 people a thousand listed, a hundred answered
  sandbox/collaborators: can add collaborators beyond the thousand that the list shows
4 recovery thirty days
  sandbox/recording-writes: can be recovered within 30 days: status $status after $days days
5 report a month, six months back
  sandbox/protocol/paging: of session reports reach at most six months back
6 token-age fifteen minutes
  sandbox/protocol/paging: expires after 15 minutes of the sandbox clock
7 rate-labels of each operation
  conformance/operations: document $document, item $item: $call
`
