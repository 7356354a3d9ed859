/** What is wanted of a number; `was` is what its inventory showed, where it comes from one. */
export interface NumberWish {
  id?: string | undefined
  number?: string | undefined
  allocated_product?: string | undefined
  /** A site's name, or its ID. */
  site?: string | undefined
  was?: { allocated_product: string | null; site_name: string | null }
}
