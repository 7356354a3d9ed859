/** What is wanted of a number; `was` is what its inventory showed, where it comes from one. */
export interface NumberWish {
  id?: string | undefined
  number?: string | undefined
  allocated_product?: string | undefined
  /** A site's name, or its ID. */
  site?: string | undefined
  /** From a workbook of which nobody knows what it showed: what it says may be older than the account. */
  unsure?: true
  was?: { allocated_product: string | null; site_name: string | null }
}
