/** Days on which far fewer records of a stream began than on the same weekdays before. */
export interface LowStretch {
  stream: string
  of?: string
  notifications?: true
  fromDay: number
  /** The last of these days. */
  toDay: number
  /** How many of the days lead one to expect records; a stream may rest at weekends. */
  days: number
  /** Records that the same weekdays lead one to expect, and those that came. */
  expected: number
  came: number
  /** It goes on: no day since was as before. */
  open: boolean
  /** No other stream of the account shows that it is this one alone. */
  general: boolean
}
