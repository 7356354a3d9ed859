select
  account,
  id,
  number,
  allocated_product,
  status
from {{ source('callsheet', 'phone_number_details') }}
