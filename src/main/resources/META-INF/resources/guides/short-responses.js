// A plugin for Swagger UI. It shows a problem in one line, which is complete under the pointer, and only the names of
// headers. Otherwise an opened operation fills eight screens.
function ShortResponses({ React, getComponent }) {
  const create = React.createElement;

  const shortResponse = (Response) => (props) => {
    if (Number(props.code) < 300) {
      return create(Response, props);
    }
    const Markdown = getComponent('Markdown', true);
    return create('tr', { className: 'response', 'data-code': props.code },
      create('td', { className: 'response-col_status' }, props.code),
      create('td', { className: 'short-problem', colSpan: 2 },
        create(Markdown, { source: props.response.get('description') })));
  };

  const shortHeaders = () => ({ headers }) => headers && headers.size
    ? create('p', null, 'Headers: ', headers.entrySeq().map(([name, header]) =>
        create('code', { key: name, title: header.get('description'), style: { marginRight: '1em' } }, name)))
    : null;

  return { wrapComponents: { response: shortResponse, headers: shortHeaders } };
}

document.head.append(Object.assign(document.createElement('style'), {
  textContent: `
    .swagger-ui .short-problem { max-width: 0; width: 100%; padding: .25em 0; white-space: nowrap }
    .swagger-ui .short-problem p { margin: 0; overflow: hidden; text-overflow: ellipsis }
    .swagger-ui .short-problem:hover { white-space: normal }
    .swagger-ui table.parameters > tbody > tr > td { padding: .2em 0 }
    .swagger-ui table.parameters input[type=text] { margin: .2em 0; padding: .3em .6em }
    .swagger-ui table.parameters select[multiple] { height: 4.5em; padding-block: .2em }
    .swagger-ui table.parameters .parameter__extension { display: inline; margin-right: 1em }
    .swagger-ui .highlight-code > .microlight { max-height: 12em }`,
}));
