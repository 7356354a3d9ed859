const FIELDS = 'about $event has exactly the documented fields'
const ENVELOPE =
  'about $event has an envelope with the time, the account and, if documented, the operator'
const TOLD = 'is received as a notification, and requests an erasure of the user within 24 hours'

const REMOVAL: readonly (readonly [string, string])[] = [
  ['sent-on-removal', `serve/removal.db: ${TOLD}`],
  [
    'delete-user-data',
    'erasure/events.db: is erased by the schedule before its next job, and reported only as a number',
  ],
  [
    'verify-requests',
    'serve/removal.db: requests no erasure if the notification is forged or unsigned',
  ],
  ...[
    'event',
    'event_ts',
    'payload.account_id',
    'payload.user_id',
    'payload.signature',
    'payload.deauthorization_time',
    'payload.client_id',
  ].map((field) => [field, `serve/removal.db: ${TOLD}`] as const),
]

const KINDS = `visitor.invitation_created visitor.invitation_updated visitor.invitation_deleted
  visitor.checked_out visitor.checked_in workspace.created+updated+deleted
  workspace.user_assigned workspace.user_unassigned workspace.reservation_created
  workspace.reservation_update+checked_in+deleted workspace.reservation_questionnaire_response
  workspace.issue_reported room.created+deleted room.updated room.location_created+deleted
  room.checked_in+out room.sensor_data room.digital_signage_app_ended room.alert+delayed_alert
  room.thirdparty_meeting_attempted`

const EVENTS: readonly (readonly [string, string])[] = [
  ['envelope-event', `serve/events.db: ${ENVELOPE}`],
  ['envelope-payload', `serve/events.db: ${ENVELOPE}`],
  ...KINDS.split(/\s+/).map((kind) => [kind, `serve/events.db: ${FIELDS}`] as const),
  [
    'meeting_source_type',
    'serve/events.db: include the undocumented meeting platforms, as received',
  ],
  ['alert_kind', 'serve/events.db: of alerts are the documented ones'],
  ['alert_type', 'serve/events.db: of alerts are the documented ones'],
  ['alert_component', 'serve/events.db: of alerts are the documented ones'],
  ['alert_issue', 'serve/events.db: of alerts are the documented ones'],
  [
    'delivery-open',
    'serve/doors.db: is accepted under the configured headers, with any version that its signature covers',
  ],
]

/** The notifications of documents 1 and 3, one of each row. */
export const EVENT_RULES = `${listed('1.deauthorized', REMOVAL)}
${listed('3.events', EVENTS)}`

function listed(section: string, facts: readonly (readonly [string, string])[]): string {
  const lines = facts.map(([name, held], at) => `${at + 1} ${name} of the notifications\n  ${held}`)
  return [`= ${section}`, ...lines].join('\n')
}
