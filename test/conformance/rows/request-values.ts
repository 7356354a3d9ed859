import type { Fact } from '../fact.ts'

/** A list of values that a request may send: the operation's schema takes these and no others. */
export interface RequestValues extends Fact {
  operation: string
  values: readonly (string | number)[]
  /** A body that is good but for this value. */
  body(value: string | number): object
}

const peering = (field: string) => (value: string | number) => ({
  allocated_product: value === 'VirtualService' ? 'SVC_CONTACT_CENTER' : 'SVC_PHONE',
  phone_numbers: [
    { phone_number: '+14155550100', sip_trunk_name: 't', status: true, [field]: value },
  ],
})
const S3 = {
  access_key: { id: 'i', key: 'k' },
  authentication_mechanism: 'objstore_access_key',
  bucket: 'b',
  region: 'r',
}
const PRODUCTS = ['SVC_PHONE', 'SVC_CONTACT_CENTER']

type Listed = [
  section: string,
  at: number,
  operation: string,
  field: string,
  values: readonly (string | number)[],
  body: RequestValues['body'],
]

const LISTED: Listed[] = [
  [
    '2.collaborators',
    2,
    'whiteboard_collaborators.add',
    'role',
    [0, 1, 2, 3, 4],
    (role) => ({ collaborators: [{ email: 'a@b.example', role }] }),
  ],
  [
    '2.collaborators',
    3,
    'whiteboard_collaborators.update',
    'role',
    [0, 1, 2, 3, 4],
    (role) => ({ collaborators: [{ collaborator_id: 'c', role }] }),
  ],
  [
    '2.storage-calls',
    3,
    'storage_locations.create',
    'provider',
    ['objstore_s3'],
    (provider) => ({ name: 'l', provider, s3: S3 }),
  ],
  [
    '2.storage-calls',
    3,
    'storage_locations.create',
    's3.authentication_mechanism',
    ['objstore_access_key'],
    (authentication_mechanism) => ({
      name: 'l',
      provider: 'objstore_s3',
      s3: { ...S3, authentication_mechanism },
    }),
  ],
  ['2.recording-calls', 4, 'recordings.recover', 'action', ['recover'], (action) => ({ action })],
  [
    '2.recording-calls',
    6,
    'recording_files.recover',
    'action',
    ['recover'],
    (action) => ({ action }),
  ],
  [
    '2.session-calls',
    2,
    'sessions.create',
    'settings.auto_recording',
    ['cloud', 'none'],
    (auto_recording) => ({ session_name: 's', settings: { auto_recording } }),
  ],
  [
    '3.peering',
    7,
    'peering_numbers.add',
    'message_capability',
    ['NOT_APPLICABLE', 'SUPPORTED', 'NOT_SUPPORTED'],
    peering('message_capability'),
  ],
  [
    '3.peering',
    8,
    'peering_numbers.add',
    'number_type',
    ['Mobile', 'Toll', 'TollFree', 'VirtualService'],
    peering('number_type'),
  ],
  [
    '3.peering',
    12,
    'peering_numbers.add',
    'voice_direction',
    ['INBOUND_AND_OUTBOUND', 'INBOUND_ONLY', 'OUTBOUND_ONLY', 'NOT_SUPPORTED'],
    peering('voice_direction'),
  ],
  [
    '3.peering',
    13,
    'peering_numbers.add',
    'voice_msg_capacity',
    ['SVC_PHONE_USER_ONLY', 'MULTI_USE'],
    peering('voice_msg_capacity'),
  ],
  [
    '3.number-calls',
    1,
    'phone_numbers.allocate',
    'allocated_product',
    ['UNALLOCATED', ...PRODUCTS],
    (allocated_product) => ({ allocated_product, numbers: ['n'] }),
  ],
  [
    '3.number-calls',
    2,
    'byoc_numbers.add',
    'allocated_product',
    PRODUCTS,
    (allocated_product) => ({
      allocated_product,
      phone_numbers: ['+14155550100'],
      sip_group_id: 'g',
    }),
  ],
]

export const REQUEST_VALUES: readonly RequestValues[] = LISTED.map(
  ([section, at, operation, field, values, body]) => ({
    id: `${section}.taken.${operation}.${field}`,
    section,
    at,
    says: `values of ${field} in a request`,
    held: { by: 'check' },
    operation,
    values,
    body,
  }),
)
