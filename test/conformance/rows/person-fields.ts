/** Fields of document 1. */
export const PERSON_FIELDS = `
= 1.token - oauth.token.account_credentials
8 access_token
9 token_type
11 expires_in
12 scope
13 api_url
= 1.device-code - oauth.devicecode
3 device_code user_code verification_uri verification_uri_complete expires_in interval
= 1.revoke - oauth.revoke
2 status
= 1.user users users.get
2 first_name last_name email status
3 type
= 1.user user_details users.get
2 id display_name role_name personal_meeting_url timezone dept pic_url
2 cms_user_id jid account_id language phone_country phone_number job_title cost_center company
2 location role_id cluster
3 pmi verified account_number
4 use_pmi
5 created_at last_login_time user_created_at
6 last_client_version
7 group_ids im_group_ids
8 login_types
9 custom_attributes.key custom_attributes.name custom_attributes.value
10 phone_numbers.country phone_numbers.code phone_numbers.number phone_numbers.verified phone_numbers.label
= 1.users users users.list:users
1 id first_name last_name email type status
= 1.users - users.list
1 page_size page_count total_records next_page_token page_number
`
