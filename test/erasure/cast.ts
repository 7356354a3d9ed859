/** Marks data that is only about Maria. */
export const CANARY = 'kanarie7f3a'
export const MARIA = { id: 'Usr_Maria-90aQ', email: `maria.ö'neil+1@example.com`, name: 'Mia' }
export const OTTO = { id: 'Usr_Otto-51bR', email: 'otto@example.com', name: 'Otto Ost' }

let canaries = 0
/** A new marked text for each call. */
export const canary = (): string => `${CANARY}-${++canaries}`
