/** The texts about a view of `report` or its table `labels`, and about each of its columns. */
export interface DescribedView {
  about: string
  columns: Readonly<Record<string, string>>
}

/** The additional columns of a view of `report` that shows all versions of a table's rows. */
export const VALIDITY = {
  valid_from: 'When the row got these values.',
  valid_to: 'When the row stopped having these values; null while it has them.',
  ended_as:
    'How this version ended: changed, deleted, or left (not in the part kept since); null if it has not.',
}

const ACCOUNT = 'Name of the account in the configuration.'

/** The views of `report` that show no stream's rows, and the table `labels`. */
export const REPORT_VIEWS: Readonly<Record<string, DescribedView>> = {
  freshness: {
    about: 'How complete and how fresh each table of each account is.',
    columns: {
      account: ACCOUNT,
      table: 'Name of the table in report.',
      complete_to: 'When the last run began that read every due list to its end; null if none did.',
      read_at: 'When the oldest of the last complete readings of its lists ended.',
      state: 'One of whole, incomplete, not_allowed (the account may not read it) and never_read.',
      whole:
        'True if the last run read all lists, and nothing is missing, quarantined or held back.',
      missing_parts:
        'Number of days and lists that were not read to their end, without the newest day.',
      quarantined: 'Number of records in the last readings that could not be stored.',
      deletions_held: 'Number of rows whose deletion waits for the approval of a person.',
      rows_kept:
        'The part of the account that the table has, in words (accounts[].rows); null if it has all of it.',
    },
  },
  coverage: {
    about: 'Which days and lists of each requested table were read to their end.',
    columns: {
      account: ACCOUNT,
      table: 'Name of the table in report; its nested tables are as complete.',
      day: 'The day in UTC; null for a list.',
      part: 'Name of the list, or the ID of the row that it belongs to; null for a day.',
      complete: 'True if all of it was read to the end by the last attempt.',
      run_id: 'ID of the last run that read it to the end; null if none did.',
      read_at: 'When that reading ended.',
    },
  },
  calendar: {
    about: 'The days from 2015 to 2049, for counts that also show days without rows.',
    columns: {
      day: 'The day.',
      year: 'The year of the day.',
      quarter: 'Number of the quarter, 1 to 4.',
      month: 'The first day of the month.',
      week: 'The Monday of the week.',
      iso_week: 'Number of the week by ISO 8601.',
      weekday: 'Number of the weekday by ISO 8601, 1 for Monday to 7 for Sunday.',
      weekday_name: 'Name of the weekday in English.',
    },
  },
  labels: {
    about: 'Words for the codes that the service documents.',
    columns: {
      table: 'Name of the table in report.',
      column: 'Name of the column that holds the code.',
      code: 'The code as text.',
      label: 'The words for it.',
    },
  },
}
