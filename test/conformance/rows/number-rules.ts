/** Rules of document 3 besides operations, refusals, fields, values and notifications. */
export const NUMBER_RULES = `
= 3.service
1 management of numbers, for partners and for administrators
  conformance/operations: are the documented operations, each once
2 notifications of rooms, workspaces and visitors
  serve/events.db: is recognized under each documented event name and as app_deauthorized, and under no other
= 3.peering
6 reference 36 characters when listed, 60 when written
  sandbox/numbers/peering: stores the supplied fields and fills in the defaults
7 messages a choice for mobile numbers alone
  sandbox/numbers/peering: lets only mobile numbers choose their message capability
8 type by product, said in a request and derived otherwise
  sandbox/numbers/peering: to the product %s with the type %s is answered %s
12 direction both ways by default
  sandbox/numbers/peering: stores the supplied fields and fills in the defaults
14 customer shown by the carrier's list alone
  sandbox/numbers/peering: show the account its own numbers, and the carrier those of all its customers
= 3.number
4 type one that its product has
  sandbox/numbers/numbers: have a type that fits their product
17 spelling the detail spells the name in a way of its own
  conformance/answers: omits the fields that only other calls show
17 detail tells more of each assignment, most of a meeting service
  sandbox/numbers/numbers: have more assignment fields in the detail, and most of all for a meeting service
= 3.consent
1 listed without capacity and creator
  sandbox/numbers/consents: is listed without its capacity or creator
= 3.sip
3 rooms-open fields of rooms, workspaces and locations
  open: nothing to hold
= 3.transitions
1 active a number becomes active
  sandbox/numbers/peering-changes: can activate a number and give it a product, which cannot be changed again
2 product only from unallocated
  sandbox/numbers/peering-changes: can activate a number and give it a product, which cannot be changed again
3 allocation to a product and back
  sandbox/allocation: moves a number from UNALLOCATED to a product and back, in the list and the detail
4 alert-cleared a message follows
  serve/order.db: is "cleared" for a resolved alert, and "observed" for one that was only marked as seen
5 alert-observed no message follows
  serve/order.db: is "cleared" for a resolved alert, and "observed" for one that was only marked as seen
= 3.endpoints
1 parameters-open of the lists, and further operations
  open: docs/readings.md names them; test/sandbox/protocol/paging.test.ts refuses others
= 3.exchange
1 partners only they may, with a carrier's code
  sandbox/numbers/peering: are only for provider-exchange partners, and so are changes
4 add two hundred at most
  sandbox/numbers/peering: accepts at most two hundred at once
5 remove only what the partner added
  sandbox/numbers/peering-changes: removes numbers that the partner added, so another product may use them
6 update two hundred at most
  sandbox/numbers/peering-changes: accepts at most two hundred at once, but no empty, unknown or invalid input
= 3.number-calls
1 one-plan native numbers of one country and one plan
  sandbox/allocation: accepts several native numbers only if they share a country and a type
2 group-and-site where they are required
  sandbox/carrier-numbers: requires a product, and an existing SIP group and site
2 local the country of local numbers
  sandbox/carrier-numbers: accepts local numbers only with a known country
2 plan business or enterprise, and a phone licence
  sandbox/plans: carrier-supplied numbers need a Business plan and a phone licence
4 master a scope of its own
  sandbox/allocation: needs a scope of its own
6 scopes read, write
  conformance/operations: document $document, item $item: $call
= 3.consent-calls
2 whole a new policy needs all its parts
  sandbox/numbers/consents: is not created from an invalid body
5 in-parts only what is supplied changes
  sandbox/numbers/consents: can be created, read, partly changed and deleted
7 assign numbers are put there and taken away
  sandbox/numbers/consents: can be added and removed, and are counted
= 3.settings
2 plan-detail pro, and a phone licence
  sandbox/plans: the detail of a ported order needs a Pro plan and a phone licence
3 filter a product is needed
  sandbox/numbers/numbers: and their settings refuse unknown values with number management’s error codes
3 plan-groups pro, a licence, an owner or administrator
  sandbox/plans: SIP groups need a Pro plan, a phone licence and an administrator
4 hundred at most a hundred at a time
  sandbox/numbers/numbers: use SIP trunks, whose list has pages of thirty by default and a hundred at most
= 3.errors
18 unauthorized 401
  sandbox/authorizer: issues tokens for one hour, after which a call may be answered with 400 and code 124
18 forbidden 403
  sandbox/numbers/peering: are only for provider-exchange partners, and so are changes
18 too-many 429
  api/client-refusals: H6 stops the label in the ledger for as long as the service asks, and then resumes it
= 3.limits
1 peering two hundred in a request
  sandbox/numbers/peering: accepts at most two hundred at once
2 supplied fewer than a hundred
  sandbox/carrier-numbers: accepts at most 99 numbers at once
3 consent fewer than two hundred
  sandbox/numbers/consents: are limited to 199 in one request
4 lengths 255, 36 and 60 characters
  sandbox/numbers/peering: stores the supplied fields and fills in the defaults
5 trunks thirty by default, a hundred at most
  sandbox/numbers/numbers: use SIP trunks, whose list has pages of thirty by default and a hundred at most
6 token-age fifteen minutes
  sandbox/protocol/paging: expires after 15 minutes of the sandbox clock
7 rate-labels of each operation
  conformance/operations: document $document, item $item: $call
= 3.versioning
1 v2 in the base address; notifications have a version of their own
  cli/call-writes.lane: repeats the name of a parameter that is a list
`
