// A provider of OpenID Connect, with the pages that the package has for development: any name signs in, with the address
// NAME@example.com, which is not verified for names that begin with `new-`. The arguments are the client's redirect URI, and
// `userinfo` to tell about people at that endpoint alone, instead of in ID tokens as well. Prints the issuer when it listens.
import { createServer } from "node:http";
import Provider from "oidc-provider";

const client = {
  client_id: "console",
  client_secret: "of-the-console-0123456789",
  redirect_uris: [process.argv[2]],
  token_endpoint_auth_method: "client_secret_basic",
};
const settings = {
  clients: [client],
  pkce: { required: () => true },
  claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"] },
  conformIdTokenClaims: process.argv[3] === "userinfo",
  cookies: { keys: ["0123456789abcdef"] },
  features: { devInteractions: { enabled: true } },
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
