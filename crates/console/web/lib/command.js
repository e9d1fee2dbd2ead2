// The same call on the command line.

/** The command that makes a call. @param {string} path @param {unknown} body @param {string} workspace */
export const curlCommand = (path, body, workspace) => [
  `curl ${location.origin}${path} \\`,
  "  -H \"Authorization: Bearer $CRIB_TOKEN\" \\",
  `  -H 'X-Workspace-Id: ${workspace}' \\`,
  `  -H 'Content-Type: application/json' -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
].join("\n");
