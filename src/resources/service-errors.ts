import type { DeclaredError } from '../core/define/operation.ts'

/**
 * Returns a function that picks documented errors by name from the table of one family of calls. Each family
 * has its own table, because the meaning of a code depends on the family and the HTTP status.
 */
function pickFrom<Name extends string>(table: Readonly<Record<Name, DeclaredError>>) {
  return (...names: readonly Name[]): readonly DeclaredError[] => names.map((name) => table[name])
}

export const whiteboardErrors = pickFrom({
  invalid: { status: 400, code: '34002', means: 'a parameter, field or ID is not valid' },
  missing: {
    status: 404,
    code: '34000',
    means: 'the session, file or object does not exist, or has expired',
  },
  unknownLabelOnDelete: { status: 404, code: '34002', means: 'no label has this ID' },
  labelsForbidden: {
    status: 403,
    code: '34003',
    means: 'the app may not manage labels',
    forbids: true,
    todo: 'use an app of an administrator who may manage classification labels',
  },
  labelsOff: {
    status: 403,
    code: '34004',
    means: 'data classification is not enabled for the account',
    forbids: true,
    todo: 'enable data classification in the account settings',
  },
  labelMissing: { status: 404, code: '34005', means: 'there is no such classification label' },
  labelLimit: {
    status: 409,
    code: '34006',
    means: 'the account already has the maximum of 30 labels',
    todo: 'delete a label that is no longer needed',
  },
  boardMissing: { status: 404, code: '34007', means: 'there is no such whiteboard' },
  labelForbidden: { status: 403, code: '34008', means: 'the caller may not use this label' },
  boardForbidden: {
    status: 403,
    code: '34009',
    means: 'the caller may not access this whiteboard',
  },
  userMissing: {
    status: 404,
    code: '1001',
    means: 'the user does not exist, or is not in this account',
  },
  userNotInAccount: {
    status: 400,
    code: '1010',
    means: 'the user is not in this account',
  },
  ownerNotInAccount: {
    status: 400,
    code: '1010',
    means: "a new owner or co-owner is not in the owner's account",
    todo: 'choose a user of that account, or the role editor (2), commenter (3) or viewer (4)',
  },
  documentForbidden: {
    status: 403,
    code: '111804',
    means: 'the caller has no permission on the whiteboard',
    todo: "ask the whiteboard's owner to share it with the token's user",
  },
})

export const userErrors = pickFrom({
  missing: {
    status: 404,
    code: '1001',
    means: 'the user does not exist, or is not in this account',
  },
  notInAccount: { status: 400, code: '1010', means: 'the user is not in this account' },
})

export const videoErrors = pickFrom({
  storageInvalid: {
    status: 400,
    code: '400',
    means:
      'a value is not valid, the location is already selected, or the bucket or region would change',
    todo: 'create a new location for another bucket; the bucket and region of a location cannot change',
  },
  userMissing: {
    status: 404,
    code: '1001',
    means: 'the user does not exist, or is not in this account',
  },
  userNotInAccount: { status: 400, code: '1010', means: 'the user is not in this account' },
  wrongAccount: {
    status: 400,
    code: '200',
    means: 'only accounts for video sessions may call this',
    forbids: true,
    todo: 'use the account that holds the video-session license',
  },
  noRecording: { status: 404, code: '3301', means: 'the session has no recording' },
  notCompleted: {
    status: 400,
    code: '3303',
    means: 'the session is still running, so its recording cannot be deleted yet',
    todo: 'try again after the session has ended',
  },
  locationMissing: { status: 404, code: '3310', means: 'there is no such storage location' },
  locationInUse: {
    status: 405,
    code: '3312',
    means: 'the storage location is in use',
    todo: 'select another location, or turn customer storage off; then delete this location',
  },
  locationUnreachable: {
    status: 400,
    code: '3313',
    means: 'the service cannot connect to the storage location',
    todo: 'check bucket, region and access key',
  },
  storageUnsupported: {
    status: 403,
    code: '3335',
    means: 'the account cannot store recordings in its own storage',
    forbids: true,
  },
  storageOff: {
    status: 403,
    code: '3336',
    means: 'customer storage is not enabled',
    forbids: true,
    todo: 'create a storage location first',
  },
})

export const numberErrors = pickFrom({
  someFailed: {
    status: 400,
    code: '1000',
    means: 'some items failed',
    partly: true,
    todo: 'correct the failed items by their reasons, and send them again',
  },
  carrierMissing: {
    status: 400,
    code: '1001',
    means: 'there is no such carrier',
    todo: 'use the carrier_code that belongs to this partner',
  },
  empty: {
    status: 400,
    code: '1002',
    means: 'the request contains no data, or data in another form',
    ofWords: true,
  },
  tooMany: { status: 400, code: '1003', means: 'too many numbers at once', todo: 'send fewer' },
  tooManySupplied: {
    status: 400,
    code: '1003_001',
    means: 'too many carrier-supplied numbers at once',
    todo: "send fewer than 100, or contact the service's support to raise the limit",
  },
  suppliedOff: {
    status: 400,
    code: '1004',
    means: 'carrier-supplied numbers are not enabled for the account',
    forbids: true,
  },
  groupMissing: { status: 400, code: '100_001', means: 'there is no such SIP group' },
  groupWithoutPci: { status: 400, code: '200_005', means: 'the SIP group does not support PCI' },
  siteNeeded: { status: 400, code: '1002_003', means: 'phone numbers need a site in this account' },
  siteMissing: { status: 400, code: '1002_010', means: 'there is no such site' },
  siteMissingToo: { status: 400, code: '1002010', means: 'there is no such site' },
  productNeeded: { status: 400, code: '1002_006', means: 'a product is missing', ofWords: true },
  numberMissing: { status: 400, code: '100002', means: 'there is no such phone number' },
  productFixed: {
    status: 400,
    code: '200002',
    means: 'the number cannot change its product',
    todo: 'unallocate the number first, or remove it and add it again',
  },
  invalid: { status: 400, code: '999', means: 'a value or field is not valid', ofWords: true },
  pageToken: { status: 400, code: '1003100', means: 'the page token is invalid or expired' },
  orderMissing: { status: 400, code: '400', means: 'there is no such order' },
  consentMissing: { status: 404, code: '1002013', means: 'there is no such consent policy' },
})
