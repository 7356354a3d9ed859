select
  account,
  consent_id,
  user_id,
  capacity
from {{ source('callsheet', 'sms_consent_details') }}
