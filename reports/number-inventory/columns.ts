import { tableColumns } from '../shared/query.ts'

/** The columns that tell which number it is, in every list. */
export const NUMBER_COLUMNS = tableColumns([
  { name: 'number', title: 'Number', format: 'text' },
  { name: 'allocated_product', title: 'Product', format: 'text' },
  { name: 'number_type', title: 'Type', format: 'text' },
  { name: 'status', title: 'Status', format: 'text' },
  { name: 'location_country', title: 'Country', format: 'text' },
  { name: 'site_name', title: 'Site', format: 'text' },
])

export const ID_COLUMN = { name: 'id', title: 'ID', format: 'text' } as const
