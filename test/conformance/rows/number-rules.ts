/** Rules of document 3 besides operations, refusals, fields, values and notifications. */
export const NUMBER_RULES = `
= 3.service
1 management of numbers, for partners and for administrators
  conformance/operations: are those of the documents, each once
2 notifications of rooms, workspaces and visitors
  serve/events.db: is known by every name that the documents have, and by no other
= 3.peering
6 reference 36 characters when listed, 60 when written
  sandbox/numbers/peering: shows them with what was said and what holds otherwise
7 messages a choice for mobile numbers alone
  sandbox/numbers/peering: leaves a choice of messages to mobile numbers
8 type by product, said in a request and derived otherwise
  sandbox/numbers/peering: on %s of the type %s is answered %s
12 direction both ways by default
  sandbox/numbers/peering: shows them with what was said and what holds otherwise
14 customer shown by the carrier's list alone
  sandbox/numbers/peering: show the account its numbers, and the carrier those of all its customers
= 3.number
4 type one that its product has
  sandbox/numbers/numbers: have a type that their product has
17 spelling the detail spells the name in a way of its own
  conformance/answers: of lists leaves out what details alone have
17 detail tells more of each assignment, most of a meeting service
  sandbox/numbers/numbers: tell more of each assignment one by one, and most of a meeting service
= 3.consent
1 listed without capacity and creator
  sandbox/numbers/consents: is listed without its capacity and its creator
= 3.sip
3 rooms-open fields of rooms, workspaces and locations
  open: nothing to hold
= 3.transitions
1 active a number becomes active
  sandbox/numbers/peering-changes: makes one active and gives it a product, which it then keeps
2 product only from unallocated
  sandbox/numbers/peering-changes: makes one active and gives it a product, which it then keeps
3 allocation to a product and back
  sandbox/allocation: leads from UNALLOCATED to a product and back, and the list and the detail show it
4 alert-cleared a message follows
  serve/order.db: a problem that was mended is cleared, and one that was only seen stays seen
5 alert-observed no message follows
  serve/order.db: a problem that was mended is cleared, and one that was only seen stays seen
= 3.endpoints
1 parameters-open of the lists, and further operations
  open: docs/readings.md names them; test/sandbox/protocol/paging.test.ts refuses others
= 3.exchange
1 partners only they may, with a carrier's code
  sandbox/numbers/peering: are for provider-exchange partners alone, as are the changes
4 add two hundred at most
  sandbox/numbers/peering: takes two hundred at once
5 remove only what the partner added
  sandbox/numbers/peering-changes: takes away what the partner added, after which another product may have it
6 update two hundred at most
  sandbox/numbers/peering-changes: takes two hundred at once, and refuses what is empty, unknown or not valid
= 3.number-calls
1 one-plan native numbers of one country and one plan
  sandbox/allocation: takes native numbers together only of one country and one plan
2 group-and-site where they are required
  sandbox/carrier-numbers: need a product, and a group, a site and a PCI group that are there
2 local the country of local numbers
  sandbox/carrier-numbers: are local ones where the country is told
2 plan business or enterprise, and a phone licence
  sandbox/plans: carrier-supplied numbers need a Business plan and a phone licence
4 master a scope of its own
  sandbox/allocation: needs a scope of its own
6 scopes read, write
  conformance/operations: document $document, item $item: $call
= 3.consent-calls
2 whole a new policy needs all its parts
  sandbox/numbers/consents: is not created from a body of another form
5 in-parts only what is supplied changes
  sandbox/numbers/consents: is created, read, changed in parts and deleted
7 assign numbers are put there and taken away
  sandbox/numbers/consents: are put there and taken away, and counted
= 3.settings
2 plan-detail pro, and a phone licence
  sandbox/plans: the detail of a ported order needs a Pro plan and a phone licence
3 filter a product is needed
  sandbox/numbers/numbers: and their settings refuse what is not known, by the codes of number management
3 plan-groups pro, a licence, an owner or administrator
  sandbox/plans: SIP groups need a Pro plan, a phone licence and an administrator
4 hundred at most a hundred at a time
  sandbox/numbers/numbers: go over SIP trunks that come thirty at a time, and a hundred at most
= 3.errors
18 unauthorized 401
  sandbox/authorizer: gives tokens an hour, and may say 400 with code 124 when it is over
18 forbidden 403
  sandbox/numbers/peering: are for provider-exchange partners alone, as are the changes
18 too-many 429
  api/client-refusals: H6 waits as long as the service asks, holds the label in the ledger, and goes on
= 3.limits
1 peering two hundred in a request
  sandbox/numbers/peering: takes two hundred at once
2 supplied fewer than a hundred
  sandbox/carrier-numbers: are fewer than a hundred at once
3 consent fewer than two hundred
  sandbox/numbers/consents: are fewer than two hundred in one request
4 lengths 255, 36 and 60 characters
  sandbox/numbers/peering: shows them with what was said and what holds otherwise
5 trunks thirty by default, a hundred at most
  sandbox/numbers/numbers: go over SIP trunks that come thirty at a time, and a hundred at most
6 token-age fifteen minutes
  sandbox/protocol/paging: dies after 15 minutes of the sandbox clock
7 rate-labels of each operation
  conformance/operations: document $document, item $item: $call
= 3.versioning
1 v2 in the base address; notifications have a version of their own
  cli/call-writes.lane: repeats the name of a parameter that is a list
`
