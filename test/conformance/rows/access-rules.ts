/** Rules of document 1: tokens, paging, errors and limits. */
export const ACCESS_RULES = `
= 1.service
1 json JSON over HTTP for users, whiteboards, sessions, numbers and consents
  conformance/operations: are the documented operations, each once
2 bearers OAuth for most, a self-issued JWT for video sessions
  sandbox/authorizer: accepts a video token only if it is signed with the secret and valid for at most an hour
3 notifications messages to endpoints that subscribers register
  serve/notifications/notifications.db: signed with any of the secrets is stored, then answered 200
4 paged lists go on by a token
  sandbox/users/users: shows every user of a status exactly once over its pages
5 me stands for the user of the token
  sandbox/me: is returned in full, by ID and as “me”
= 1.token
1 form parameters as a query or a form, with Basic
  api/auth/account-token: is a form with a plain Basic header
2 account-credentials by account
  api/auth/account-token: is a form with a plain Basic header
3 authorization-code by the code of a browser, bound to its redirect URL and state
  api/auth/authorization-code.lane: is bound to its own login attempt by state, redirect URL and verifier
4 device by the code of a device
  cli/login.lane: shows a code, waits for the authorization, and syncs
5 client-credentials of a chatbot
  sandbox/grants: gets a token for chatbot messages only, without a refresh token
6 refresh by the latest token issued
  api/auth/refresh.lane: always uses the newest token, and keeps the previous one
7 public-client by code and verifier, without a secret
  cli/login.lane: has no secret, and identifies itself by S256
10 refresh-token comes with the flows of users and devices
  api/auth/refresh.lane: always uses the newest token, and keeps the previous one
= 1.authorize
1 response-type is code
  sandbox/grants: returns a code only for response_type=code
2 client-id the public one for PKCE
  api/auth/authorization-code.lane: is requested with S256 for public clients, and without a secret in the URL
3 redirect as registered
  api/auth/authorization-code.lane: is bound to its own login attempt by state, redirect URL and verifier
4 challenge made from the verifier
  api/auth/authorization-code.lane: is requested with S256 for public clients, and without a secret in the URL
5 challenge-method S256 or plain, plain where nothing is said
  sandbox/grants: checks the verifier by $method (by default "plain"): status $status
5 challenge-other and no other
  sandbox/grants: refuses any other challenge method
6 code the browser comes back with a code
  cli/login.lane: requires one login, then renews its token itself, and reports if it cannot
= 1.device-code
1 request client ID and Basic
  cli/login.lane: shows a code, waits for the authorization, and syncs
2 option the app must have the device option
  api/auth/device-login.lane: gets no code if the app’s device option is off, and the error says so
= 1.revoke
1 token the access token, of any kind of app
  cli/login.lane: revokes the token at the service and removes it until the next login
= 1.user
1 me-path the user ID may be me
  sandbox/me: is returned in full, by ID and as “me”
= 1.me
1 me-read-change read and change
  sandbox/me: updates only the supplied fields, in detail, list, truth and the next run
2 me-token a token
  sandbox/me: gets a different token each time
3 me-meetings list and make
  sandbox/me: can list and create meetings
4 me-owner the user who owns the token; shapes are left open
  sandbox/me: is returned in full, by ID and as “me”
= 1.users
1 pages by status, by token or by number
  sandbox/me: is listed exactly once over the numbered pages
= 1.authentication
1 bearer every call carries it
  api/files/download: returns the bytes, with the bearer token and within its rate limit
2 basic of client ID and secret
  api/auth/account-token: is a form with a plain Basic header
3 hour an access token lives an hour
  sandbox/authorizer: issues tokens for one hour, after which a call may be answered with 400 and code 124
4 ninety-days a refresh token lives as long
  sandbox/grants: is valid for 90 days: the answer after $days days is $status
4 rotation each refresh gives another refresh token
  api/auth/refresh.lane: always uses the newest token, and keeps the previous one
5 interval a device asks no faster than told
  api/auth/device-login.lane: T7 polls no faster than the interval, and five seconds slower on request
6 again who allowed it once is asked again when scopes or settings changed
  sandbox/grants: is requested once, and again after the scopes change
6 code a code comes after sign-in and consent
  cli/login.lane: can be authorized on another machine; the pasted address is never printed
7 device-steps code and address are shown, then the token is asked for
  cli/login.lane: shows a code, waits for the authorization, and syncs
8 chatbot installed the same way; its token is of its own kind
  sandbox/grants: gets a token for chatbot messages only, without a refresh token
9 public-id in place of the client ID
  cli/login.lane: has no secret, and identifies itself by S256
10 verifier random, hashed for S256, itself for plain
  sandbox/grants: checks the verifier by $method (by default "plain"): status $status
11 consent-shown always to public clients
  sandbox/grants: is requested every time if the client is public
12 revocation by the access token
  cli/login.lane: revokes the token at the service and removes it until the next login
13 admin-scope for the whole account, the other for one's own
  sandbox/me: can read and list nobody else without an admin scope
14 jwt signed with key and secret, for an hour at most
  api/auth/session-jwt: is signed with HS256, lasts at most an hour, and is issued again before its end
14 identity the user of the JWT, of letters and digits
  sandbox/grants: with the user name %j is answered %i
14 identity-claim named in the JWT
  sandbox/grants: with the user name %j is answered %i
= 1.errors
1 unauthorized 401
  api/refused-bearer: H1 is an authentication error if the new token is refused too
2 forbidden 403
  sandbox/me: can read and list nobody else without an admin scope
3 too-many 429
  sandbox/limits: answers 429 beyond the quota, and shares a daily quota among the labels of a pool
4 page-token expired, or with other parameters
  sandbox/protocol/paging: is valid only with the same other parameters
5 own-codes in the other documents
  conformance/operations: are 21 in document 2 and 18 in document 3
6 body-open the body of an error
  open: docs/readings.md says how it is read; test/api/client-faults.test.ts reads it
7 token-errors-open errors of the token endpoints
  open: docs/readings.md says how it is read; test/api/auth tests go through it
= 1.limits
1 refresh-lifetime ninety days
  sandbox/grants: is valid for 90 days: the answer after $days days is $status
1 lifetime an hour
  sandbox/authorizer: issues tokens for one hour, after which a call may be answered with 400 and code 124
2 page-sizes up to 300, thirty by default
  sandbox/users/users: shows 30 active users by default, and limits a page to 300
3 token-age a page token lives 15 minutes
  sandbox/protocol/paging: expires after 15 minutes of the sandbox clock
4 labels four of them
  sandbox/limits: answers 429 beyond the quota, and shares a daily quota among the labels of a pool
5 quotas-open how many calls a label has
  open: docs/readings.md says how it is read; config/quotas has presets
= 1.paging
1 first without a token, with a size
  api/answers/retry: always sends the page size, repeats array names, and never sends an empty page token
2 more a token means more, even after an empty page
  sandbox/protocol/paging: may contain an empty page, and still return every row
3 same the next page takes the same parameters
  sandbox/protocol/paging: is valid only with the same other parameters
4 last an empty token ends
  sandbox/users/users: shows every user of a status exactly once over its pages
5 by-number until the count of pages
  sandbox/me: is listed exactly once over the numbered pages
= 1.versioning
1 v2 in the base address
  cli/call-writes.lane: repeats the name of a parameter that is a list
2 by-token pages by number are on their way out
  sandbox/users/users: also supports page numbers
3 lifecycle-open how versions end
  open: nothing to hold
`
