const NO_RECEIVER = 'no receiver of notifications yet'

const REMOVAL = `sent-on-removal delete-user-data verify-requests event event_ts payload.account_id
  payload.user_id payload.signature payload.deauthorization_time payload.client_id`

const EVENTS = `envelope-event envelope-payload visitor.invitation_created visitor.invitation_updated
  visitor.invitation_deleted visitor.checked_out visitor.checked_in workspace.created+updated+deleted
  workspace.user_assigned workspace.user_unassigned workspace.reservation_created
  workspace.reservation_update+checked_in+deleted workspace.reservation_questionnaire_response
  workspace.issue_reported room.created+deleted room.updated room.location_created+deleted
  room.checked_in+out room.sensor_data room.digital_signage_app_ended room.alert+delayed_alert
  room.thirdparty_meeting_attempted meeting_source_type alert_kind alert_type alert_component alert_issue
  delivery-open`

/** The notifications of documents 1 and 3, one of each row. */
export const EVENT_RULES = `${listed('1.deauthorized', REMOVAL)}
${listed('3.events', EVENTS)}`

function listed(section: string, names: string): string {
  const facts = names
    .trim()
    .split(/\s+/)
    .map((name, at) => `${at + 1} ${name} of the notifications\n  not built: ${NO_RECEIVER}`)
  return [`= ${section}`, ...facts].join('\n')
}
