/** The desired state of a number; `was` contains the values in its inventory, if there is one. */
export interface NumberWish {
  id?: string | undefined
  number?: string | undefined
  allocated_product?: string | undefined
  /** A site's name, or its ID. */
  site?: string | undefined
  was?: { allocated_product: string | null; site_name: string | null }
}
