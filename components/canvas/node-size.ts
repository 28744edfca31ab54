/** Fixed, so that layout and first paint never wait for the DOM. Pixels at 100% zoom. */
export const NODE_WIDTH_PX = 232;
export const NODE_HEIGHT_PX = 76;

/** What is left for the name beside bar, paddings and icon. */
export const NAME_WIDTH_PX = 182;
