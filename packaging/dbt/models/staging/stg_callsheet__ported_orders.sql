select
  account,
  order_id,
  numbers,
  replacing_numbers,
  status,
  submission_date_time
from {{ source('callsheet', 'ported_orders') }}
