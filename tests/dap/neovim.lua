-- neovim.lua - what neovim.sh does in Neovim: a session of nvim-dap, step by step

local result = io.open('result', 'w')
local function finish(text)
  result:write(text .. '\n')
  result:close()
  vim.cmd('qa!')
end

local function check(is, want, what)
  if is ~= want then
    error(string.format('%s is %s, not %s', what, tostring(is), tostring(want)))
  end
end

local function drive()
  vim.cmd('edit scale.py')
  vim.cmd('luafile configuration.lua')
  vim.fn.input = function() return 'rows' end -- the call
  local dap = require('dap')
  local stops, reason, seen = 0, nil, 0
  dap.listeners.after.event_stopped['test'] = function(_, body) reason, stops = body.reason, stops + 1 end
  dap.listeners.after.scopes['test'] = function() seen = seen + 1 end

  -- the editor has asked for the calls and scopes of the next stop; gives its reason and line
  local function stop()
    local before = seen
    return function(move)
      move()
      assert(vim.wait(10000, function() return seen > before end), 'no stop came')
      return reason .. ' ' .. dap.session().current_frame.line
    end
  end

  local function value(expression)
    local got
    dap.session():evaluate(expression, function(err, r) got = err and err.message or r.result end)
    assert(vim.wait(10000, function() return got end), 'no value came')
    return got
  end

  vim.api.nvim_win_set_cursor(0, {15, 0})
  dap.set_breakpoint('row == 1')
  local function run() dap.run(dap.configurations.python[#dap.configurations.python]) end
  check(stop()(run), 'breakpoint 15', 'the first stop')
  check(vim.api.nvim_win_get_cursor(0)[1], 15, 'the line of the cursor')
  check(vim.tbl_count(dap.session().threads), 3, 'the number of programs')
  check(value('tl.max(v - mean)'), '2.', 'an expression')
  assert(value('v'):find('(0.)', 1, true), 'masked lanes are not in parentheses')
  local shown = {}
  for _, scope in ipairs(dap.session().current_frame.scopes) do
    for _, v in pairs(scope.variables or {}) do
      shown[scope.name .. ' ' .. v.name] = v.value
    end
  end
  check(shown['Names row'], '1', 'row')
  assert(shown['Arrays out']:find('fp32 3x5', 1, true), 'the array is not shown')
  local box = require('dap.ui.widgets').hover('v') -- what one points at
  local function pointed() return table.concat(vim.api.nvim_buf_get_lines(box.buf, 0, -1, false), ' ') end
  assert(vim.wait(10000, function() return pointed():find('fp32 8', 1, true) end), 'hovering shows no tile: ' .. pointed())
  box.close()
  check(stop()(dap.step_over), 'step 8', 'the next program')
  check(stop()(dap.step_back), 'breakpoint 15', 'one back')
  check(stop()(dap.step_back), 'step 14', 'two back')
  check(stop()(dap.reverse_continue), 'entry 8', 'where there is nothing to stop at')
  dap.clear_breakpoints()
  vim.wait(300)
  check(stop()(dap.continue), 'end 7', 'the end')
  dap.terminate()
  assert(vim.wait(10000, function() return dap.session() == nil end), 'the session does not end')
  return string.format('passed: %d stops', stops)
end

local ok, text = pcall(drive)
finish(ok and text or 'FAILED: ' .. tostring(text))
