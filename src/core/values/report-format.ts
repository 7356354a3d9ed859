/** What a report can be written as. */
export const REPORT_FORMATS = ['xlsx', 'html', 'csv', 'parquet'] as const

export type ReportFormat = (typeof REPORT_FORMATS)[number]
