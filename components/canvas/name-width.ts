/** What is left of a card for the name, beside bar, paddings and icon. Pixels at 100% zoom. */
export const NAME_WIDTH_PX = 182;
