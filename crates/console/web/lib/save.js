// Saves a file that the page has.

/** @param {Blob} content @param {string} name of the file */
export function save(content, name) {
  const link = document.createElement("a");
  [link.href, link.download] = [URL.createObjectURL(content), name];
  link.click();
  // The browser has read the address by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
