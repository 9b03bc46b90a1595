// The URL of the service and the API key.
function required(name, example) {
  const value = process.env[name];
  if (!value) {
    console.error(`${name} is not set (${example})`);
    process.exit(1);
  }
  return value;
}

export const baseUrl = required('OKR_BASE_URL', 'for example http://127.0.0.1:8080').replace(/\/+$/, '');
export const apiKey = required('OKR_API_KEY', 'an API key of an admin with all scopes');
