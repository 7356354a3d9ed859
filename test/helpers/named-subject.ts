/** SQL for what the entries about subjects call them, by a condition on `subject`; without an alias. */
export const namedWhere = (condition: string): string =>
  `(select named from callsheet.manifest_subjects where subject ${condition})`

/** The same of one subject. */
export const named = (subject: string): string => namedWhere(`= '${subject}'`)
