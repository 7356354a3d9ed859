/** Marks what was said of her alone. */
export const CANARY = 'kanarie7f3a'
export const MARIA = { id: 'Usr_Maria-90aQ', email: `maria.ö'neil+1@example.com`, name: 'Mia' }
export const OTTO = { id: 'Usr_Otto-51bR', email: 'otto@example.com', name: 'Otto Ost' }

let canaries = 0
/** Each time another one. */
export const canary = (): string => `${CANARY}-${++canaries}`
