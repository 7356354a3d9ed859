select
  account,
  id,
  name,
  provider,
  authentication_mechanism,
  bucket,
  region,
  selected
from {{ source('callsheet', 'storage_locations') }}
