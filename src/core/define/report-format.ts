export const REPORT_FORMATS = ['xlsx', 'html', 'csv', 'parquet', 'pdf'] as const

export type ReportFormat = (typeof REPORT_FORMATS)[number]

export const TABLE_FORMATS = ['parquet', 'csv'] as const

export type TableFormat = (typeof TABLE_FORMATS)[number]
