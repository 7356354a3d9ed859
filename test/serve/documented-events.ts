/** An event of the API documents: the form of its time, whether it names an operator, and its fields. */
export interface Documented {
  event: string
  timed: 'integer' | 'date-time'
  operator: boolean
  fields: readonly string[]
  /** Fields that may be missing. */
  optional: readonly string[]
}

const TABLE = `
visitor_management.invitation_created visitor_management.invitation_updated | int op | invitation_id
  visitor_email visitor_name host_id host_name host_email invite_location_id start_time end_time
visitor_management.invitation_deleted | int op | visitor_email visitor_name host_id host_name host_email
  invite_location_id
visitor_management.checked_out visitor_management.checked_in | int op | visitor_email visitor_name host_id
  host_name host_email invite_location_id start_time end_time
workspace.created workspace.updated workspace.deleted | int op | id workspace_name
workspace.user_assigned | text op | workspace_id workspace_name assign_type account_id user_id user_email
workspace.user_unassigned | text op | workspace_id workspace_name assign_type account_id user_id
workspace.reservation_created | int op | id workspace_id topic start_time end_time reserve_for?
  assignment_checkin?
workspace.reservation_update workspace.reservation_checked_in workspace.reservation_deleted | int op | id
  workspace_id topic start_time end_time reserve_for?
workspace.reservation_questionnaire_response_created workspace.reservation_questionnaire_response_updated
  | text op | desk_id event_id location_id user_name workspace_name start_time questionnaire_response
workspace.issue_reported | int op | report_id workspace_id workspace_name location_path category_name
  issue_types description? file_ids?
svcroom.created svcroom.deleted svcroom.updated | int | id room_name
svcroom.location_created svcroom.location_deleted | int op | id name parent_location_id type
svcroom.checked_in svcroom.checked_out | int | id room_name email calendar_id calendar_name event_id
  change_key? resource_email? calendar_type api_type
svcroom.sensor_data | int | id room_name device_id sensor_data
svcroom.digital_signage_app_ended | int | room_id app_id app_name start_time end_time
svcroom.alert svcroom.delayed_alert | int | id room_name calendar_name email issue alert_type component
  alert_time alert_kind
svcroom.thirdparty_meeting_attempted | int | room_id join_time? join_url? passcode? sip_address?
  third_party_meeting_id? meeting_source_type?
`

export const DOCUMENTED: readonly Documented[] = TABLE.trim()
  .replaceAll(/\n +/g, ' ')
  .split('\n')
  .flatMap((line) => {
    const [events = '', how = '', names = ''] = line.split('|').map((part) => part.trim())
    const fields = names.split(' ')
    return events.split(' ').map((event) => ({
      event,
      timed: how.startsWith('int') ? ('integer' as const) : ('date-time' as const),
      operator: how.endsWith('op'),
      fields: fields.filter((name) => !name.endsWith('?')),
      optional: fields.filter((name) => name.endsWith('?')).map((name) => name.slice(0, -1)),
    }))
  })
