// A provider of OpenID Connect, with the pages that the package has for development: any name signs in, with the
// address NAME@example.com, which is not verified for names that begin with `new-`. The arguments are the console's
// redirect URI, and `userinfo` to tell about people at that endpoint alone, instead of in ID tokens as well. A second
// client gets tokens for the API with a code that a person confirms (RFC 8628). Prints the issuer when it listens.
import { createServer } from "node:http";
import Provider from "oidc-provider";

const client = {
  client_id: "console",
  client_secret: "of-the-console-0123456789",
  redirect_uris: [process.argv[2]],
  token_endpoint_auth_method: "client_secret_basic",
};
const commandLine = {
  client_id: "toolcrib-cli",
  token_endpoint_auth_method: "none",
  grant_types: ["urn:ietf:params:oauth:grant-type:device_code"],
  redirect_uris: [],
  response_types: [],
};
const isCommandLine = (ctx) => ctx.oidc.client.clientId === commandLine.client_id;
const settings = {
  clients: [client, commandLine],
  pkce: { required: () => true },
  claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"] },
  conformIdTokenClaims: process.argv[3] === "userinfo",
  cookies: { keys: ["0123456789abcdef"] },
  features: {
    devInteractions: { enabled: true },
    deviceFlow: { enabled: true },
    resourceIndicators: {
      defaultResource: (ctx, _, granted) => granted ?? (isCommandLine(ctx) ? "urn:api" : undefined),
      useGrantedResource: isCommandLine,
      getResourceServerInfo: () => ({ scope: "", audience: "api", accessTokenFormat: "jwt" }),
    },
  },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({
      sub: id, name: `${id} by name`, email: `${id}@example.com`, email_verified: !id.startsWith("new-"),
    }),
  }),
};

const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  server.on("request", new Provider(issuer, settings).callback());
  console.log(`issuer ${issuer}`);
});
