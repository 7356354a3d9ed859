select
  account,
  order_id,
  contact_emails,
  contact_number,
  isp,
  printed_name,
  billing_account_number,
  billing_address,
  authorizing_person,
  billing_telephone_number,
  billing_company,
  customer_requested_date
from {{ source('callsheet', 'ported_order_details') }}
