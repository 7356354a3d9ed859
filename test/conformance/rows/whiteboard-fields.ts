/** Fields of the whiteboards in document 2. */
export const WHITEBOARD_FIELDS = `
= 2.archived-session whiteboard_sessions whiteboard_sessions.list:sessions
1 id
2 start_time end_time expire_time
3 whiteboard_id whiteboard_name
4 regulated_participants
= 2.archived-session whiteboard_participants whiteboard_sessions.list:sessions.regulated_participants
5 user_id user_name email join_whiteboard_time leave_whiteboard_time
= 2.activity whiteboard_activities whiteboard_sessions.get:activities
1 id
2 type
3 download_url
4 create_time
5 user_id
6 collaborator_id
7 collaborator_name
8 email
9 content
10 object_ids
= 2.label classification_labels classification_labels.list:labels classification_labels.get
1 classification_id
2 name
3 description
4 color
5 sensitivity_level
6 guideline_url
7 is_default
8 create_time modify_time
= 2.label classification_labels classification_labels.list:labels
9 whiteboard_count
= 2.collaborator whiteboard_collaborators whiteboard_collaborators.list whiteboard_collaborators.add
1 collaborator_id
2 collaborator_name
3 collaborator_type
4 role
5 user_id
7 channel_id
8 avatar
= 2.collaborator whiteboard_collaborators whiteboard_collaborators.list
6 email
= 2.whiteboard whiteboards whiteboards.list:whiteboards
1 whiteboard_id
2 whiteboard_name
3 created_by_display_name
4 created_date modified_date
5 project_id
6 locked
7 readonly
8 trashed
9 non_cloud
10 share_link_setting.share_scope
11 share_link_setting.share_role
12 advanced_share_setting.can_share
13 advanced_share_setting.external_can_share
14 advanced_share_setting.share_to_external
= 2.content whiteboard_content whiteboard_content.get
1 content_objects page_id whiteboard_id
= 2.archiving - whiteboard_sessions.list
1 from to page_size next_page_token sessions total_records
= 2.archiving - whiteboard_sessions.get
3 page_size total_records activities end_time expire_time next_page_token session_id start_time
3 whiteboard_id whiteboard_name
= 2.labels - classification_labels.list
1 labels total_records
= 2.labels - classification_labels.create
2 classification_id color name sensitivity_level
= 2.content-calls - whiteboard_content.save
3 added updated page_id
= 2.board-list - whiteboards.list
1 next_page_token page_size total_records whiteboards
`
