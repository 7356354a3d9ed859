select
  account,
  consent_id,
  consent_name,
  description,
  account_id,
  used_number,
  status,
  in_out_bound,
  create_time,
  modify_time
from {{ source('callsheet', 'sms_consents') }}
