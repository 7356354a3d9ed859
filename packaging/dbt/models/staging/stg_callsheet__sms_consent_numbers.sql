select
  account,
  consent_id,
  phone_number_id,
  phone_number,
  account_id
from {{ source('callsheet', 'sms_consent_numbers') }}
