import type { Fact } from '../fact.ts'

/** A list of values: what an answer shows at the path, over the whole company, is these and no others. */
export interface Enumeration extends Fact {
  operation: string
  path: string
  values: string[]
  /** Documented, and of kinds of items that lack the field. */
  never: string[]
  /** The column that keeps the field, which knows the values. */
  stream: string | undefined
  column: string | undefined
}

/**
 * Section, row, operation and path of each, the stream that keeps it (and
 * the column, if it is called otherwise), and below it all its values;
 * `~` marks those of items that lack the field.
 */
const TABLE = `
1.token 9 oauth.token.account_credentials token_type
  bearer
1.revoke 2 oauth.revoke status
  success
1.token 12 oauth.token.client_credentials scope
  imchat:bot
2.collaborator 3 whiteboard_collaborators.list collaborator_type whiteboard_collaborators
  0 1 2
2.collaborator 4 whiteboard_collaborators.list role whiteboard_collaborators
  0 1 2 3 4
2.whiteboard 10 whiteboards.list whiteboards.share_link_setting.share_scope whiteboards
  0 1 2 3
2.whiteboard 11 whiteboards.list whiteboards.share_link_setting.share_role whiteboards
  2 3 4
2.storage 3 storage_locations.list provider storage_locations
  objstore_s3
2.storage 4 storage_locations.list s3.authentication_mechanism storage_locations
  objstore_access_key
2.storage 8 storage_locations.get verify_status storage_location_details
  success failure
2.recording 12 recordings.list sessions.recording_files.status recording_files
  completed
2.recording 13 recordings.list sessions.recording_files.file_type recording_files
  MP4 M4A TIMELINE TRANSCRIPT CHAT CC CSV
2.recording 14 recordings.list sessions.recording_files.recording_type recording_files
  shared_screen_with_speaker_view(CC) shared_screen_with_speaker_view shared_screen_with_gallery_view
  active_speaker gallery_view shared_screen audio_only audio_transcript chat_file poll ~timeline
  ~closed_caption local_transcript original_transcript
2.recording 15 recordings.list sessions.participant_video_files.recording_type recording_participant_files
  individual_user individual_shared_screen
2.recording 15 recordings.list sessions.participant_video_files.status recording_participant_files
  completed
2.report 1 session_reports.list sessions.audio_quality session_reports
  good fair poor bad
2.report 1 session_reports.list sessions.video_quality session_reports
  good fair poor bad
2.report 1 session_reports.list sessions.screen_share_quality session_reports
  good fair poor bad
2.created 1 sessions.create settings.auto_recording
  cloud none
2.created 1 sessions.create settings.global_dial_in_numbers.type
  toll tollfree premium
3.peering 5 peering_numbers.list numbers.allocated_product peering_numbers
  UNALLOCATED SVC_PHONE SVC_CONTACT_CENTER
3.peering 7 peering_numbers.list numbers.message_capability peering_numbers
  NOT_APPLICABLE SUPPORTED NOT_SUPPORTED
3.peering 12 peering_numbers.list numbers.voice_direction peering_numbers
  INBOUND_AND_OUTBOUND INBOUND_ONLY OUTBOUND_ONLY NOT_SUPPORTED
3.peering 13 peering_numbers.list numbers.voice_msg_capacity peering_numbers
  SVC_PHONE_USER_ONLY MULTI_USE
3.number 3 phone_numbers.list numbers.allocated_product phone_numbers
  UNALLOCATED SVC_PHONE SVC_CONTACT_CENTER
3.number 4 phone_numbers.list numbers.number_type phone_numbers
  Toll TollFree VirtualService Mobile SharedCost National ITFS
3.number 5 phone_numbers.list numbers.source phone_numbers
  Svc SvcPorted SvcReserved ThirdPartyNumber BYOCCloud BYOCPremises
3.number 6 phone_numbers.list numbers.status phone_numbers
  Normal Pending
3.number 8 phone_numbers.list numbers.capability
  Incoming Outgoing Messaging PCIPal EmergencyCalls
3.number 17 phone_numbers.list numbers.assigned_list.assigned_to_type phone_number_assignments
  User CallQueue AutoReceptionist PartnerRoom SharedLineGroup GroupCallPickup CommonArea
  EmergencyNumberPool CompanyLocation PersonalLocation MeetingService LocalSurvivability
  LocalSurvivabilityEmergencyNumberPool PartnerResourceAccount DistributionGroup
3.number 17 phone_numbers.list numbers.assigned_list.source_channel phone_number_assignments
  Voice SMS
3.sip 1 sip_groups.list sip_groups.source_system sip_groups
  SVC_PHONE SVC_CONTACT_CENTER COMMON
3.sip 1 sip_groups.list sip_groups.sip_trunk.type sip_groups sip_trunk_type
  BYOC BYOP
3.sip 2 sip_trunks.list byoc_sip_trunk.source_system sip_trunks
  COMMON SVC_PHONE SVC_CONTACT_CENTER
3.transitions 6 ported_orders.list ported_numbers.status ported_orders
  Not_Submitted Waiting Processing Successfully Rejected Canceled FOC
3.transitions 7 phone_numbers.get status
  Normal Pending
`

export const ENUMERATIONS: readonly Enumeration[] = TABLE.trim()
  .split(/\n(?=\d)/)
  .map((entry) => {
    const [head = '', ...below] = entry.split('\n')
    const [section = '', at, operation = '', path = '', stream, name] = head.split(' ')
    const values = below.join(' ').trim().split(/\s+/)
    return {
      id: `${section}.values.${operation}.${path}`,
      section,
      at: Number(at),
      says: `values of ${path.split('.').at(-1)}`,
      held: { by: 'check' },
      operation,
      path,
      values: values.filter((value) => !value.startsWith('~')),
      never: values.filter((value) => value.startsWith('~')).map((value) => value.slice(1)),
      stream,
      column: name ?? path.split('.').at(-1),
    }
  })
