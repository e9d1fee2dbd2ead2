// The running service, and a person who approves.
export const { BASE, TOKEN, WORKSPACE } = process.env;
export const url = new URL(`${BASE}/mcp`);
export const headers = { Authorization: `Bearer ${TOKEN}`, 'X-Workspace-Id': WORKSPACE };

// Approves at this address as a person does, in both steps.
export async function approve(address) {
  const place = `${BASE}/v1/confirmations/${address.split('/').pop()}/approve`;
  const post = async (body) => {
    const answer = await fetch(place, {
      method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body),
    });
    return answer.json();
  };
  const { phrase } = await post({});
  return post({ phrase });
}

// What a model reads of a result.
export const told = (result) => JSON.parse(result.content[0].text);

export const report = (value) => console.log(JSON.stringify(value));
