/** Whether a key is meant as a shortcut of the page: not typed into a field, not part of a browser's own, no dialog open. */
export function isPlainKey(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  if (document.querySelector('dialog[open]') !== null) return false;
  return !(event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]'));
}
