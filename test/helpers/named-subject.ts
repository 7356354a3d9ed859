/** SQL for what entry lines call subjects, by a condition on `about`; without an alias. */
export const namedWhere = (condition: string): string =>
  `(select distinct subject from callsheet.manifest where about ${condition})`

/** The same of one subject. */
export const named = (subject: string): string => namedWhere(`= '${subject}'`)
