/** Fields of document 3. */
export const NUMBER_FIELDS = `
= 3.peering peering_numbers peering_numbers.list:numbers carrier_peering_numbers.list:numbers
1 phone_number
2 sip_trunk_name
3 status
4 assigned
5 allocated_product
6 billing_ref_id
7 message_capability
9 outbound_cli_share_not_supported
10 outbound_dialer_not_supported
11 service_info
12 voice_direction
13 voice_msg_capacity
= 3.peering carrier_peering_numbers carrier_peering_numbers.list:numbers
14 customer_account_name customer_account_number
= 3.number phone_numbers phone_numbers.list:numbers phone_numbers.get
1 id
2 number
3 allocated_product
4 number_type
5 source
6 status
7 display_name caller_id_name
8 capability
9 carrier.code carrier.name
10 emergency_address.address_line1 emergency_address.address_line2 emergency_address.city
10 emergency_address.country emergency_address.county emergency_address.state_code emergency_address.zip
11 emergency_address_update_time
12 address_update_required
13 location.city location.country location.state
14 site.site_id site.name
15 sip_group.id sip_group.name
16 assigned_list
= 3.number phone_number_assignments phone_numbers.list:numbers.assigned_list
17 assigned_to_id assigned_to_name assigned_to_type extension_number source_channel
= 3.number phone_number_assignment_details phone_numbers.get:assigned_list
17 assigned_to_id assgined_to_name assigned_to_type extension_number source_channel display_number label
17 meeting_id greeting.id greeting.name on_hold_music.id on_hold_music.name
= 3.consent sms_consents sms_consents.list:sms_consent sms_consents.get sms_consents.create
1 consent_id consent_name description account_id used_number status create_time modify_time in_out_bound
2 in_out_bound.opt_in_message.prompt in_out_bound.opt_in_message.keywords
2 in_out_bound.opt_in_message.confirmation_message
3 in_out_bound.opt_out_message.message in_out_bound.opt_out_message.keywords
4 in_out_bound.help_message.message in_out_bound.help_message.keywords
5 in_out_bound.disclaimer.enable in_out_bound.disclaimer.message
= 3.consent sms_consent_details sms_consents.get sms_consents.create
1 user_id capacity
= 3.consent-number sms_consent_numbers sms_consent_numbers.list:sms_consent_number
1 phone_number_id phone_number account_id
= 3.ported ported_orders ported_orders.list:ported_numbers ported_orders.get
1 order_id numbers replacing_numbers.source_number replacing_numbers.target_number status
1 submission_date_time
= 3.ported ported_order_details ported_orders.get
1 contact_emails contact_number isp printed_name original_billing_info.account_number
1 original_billing_info.address.city original_billing_info.address.country
1 original_billing_info.address.house_number original_billing_info.address.state_code
1 original_billing_info.address.street_name original_billing_info.address.zip
1 original_billing_info.authorizing_person original_billing_info.billing_telephone_number
1 original_billing_info.company original_billing_info.customer_requested_date original_billing_info.pin
= 3.sip sip_groups sip_groups.list:sip_groups
1 sip_group_id display_name description send_sip_group_name source_system sip_trunk.sip_trunk_id
1 sip_trunk.name sip_trunk.type
= 3.sip sip_trunks sip_trunks.list:byoc_sip_trunk
2 sip_trunk_id name carrier carrier_account region sbc_label source_system
= 3.exchange - carrier_peering_numbers.list
2 next_page_token numbers total_records
= 3.exchange - peering_numbers.list
3 next_page_token numbers total_records
= 3.number-calls - phone_numbers.list
3 next_page_token page_size numbers
= 3.consent-calls - sms_consents.list
1 page_size total_records next_page_token sms_consent
= 3.consent-calls - sms_consent_numbers.list
6 next_page_token page_size total_records sms_consent_number
= 3.settings - ported_orders.list
1 next_page_token page_size total_records ported_numbers
= 3.settings - sip_groups.list
3 next_page_token total_records sip_groups
= 3.settings - sip_trunks.list
4 byoc_sip_trunk next_page_token total_records
`
