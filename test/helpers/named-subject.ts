/** SQL for the subjects of log entries, by a condition on `about`; without a table alias. */
export const namedWhere = (condition: string): string =>
  `(select distinct subject from callsheet.manifest where about ${condition})`

/** SQL for the subject of one name. */
export const named = (subject: string): string => namedWhere(`= '${subject}'`)
