select
  account,
  id,
  verify_status
from {{ source('callsheet', 'storage_location_details') }}
