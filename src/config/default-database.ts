/** The name of the database that the setting `database` describes. */
export const DEFAULT_DATABASE = 'default'
