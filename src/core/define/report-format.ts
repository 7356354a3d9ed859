/** What a report can be written as. */
export const REPORT_FORMATS = ['xlsx', 'html', 'csv', 'parquet'] as const

export type ReportFormat = (typeof REPORT_FORMATS)[number]

/** What a table of the warehouse can be written as. */
export const TABLE_FORMATS = ['parquet', 'csv'] as const

export type TableFormat = (typeof TABLE_FORMATS)[number]
