select
  account,
  user_id,
  code,
  number,
  ordinal,
  country,
  label,
  verified
from {{ source('callsheet', 'user_phone_numbers') }}
