import type { TableColumn } from '../../src/core/declare/report.ts'

/** The columns that tell which number it is, in every list. */
export const NUMBER_COLUMNS: readonly TableColumn[] = [
  { name: 'number', title: 'Number', format: 'text' },
  { name: 'allocated_product', title: 'Product', format: 'text' },
  { name: 'number_type', title: 'Type', format: 'text' },
  { name: 'status', title: 'Status', format: 'text' },
  { name: 'location_country', title: 'Country', format: 'text' },
  { name: 'site_name', title: 'Site', format: 'text' },
]

export const ID_COLUMN: TableColumn = { name: 'id', title: 'ID', format: 'text' }
