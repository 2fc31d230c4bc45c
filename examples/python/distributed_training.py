"""Data-parallel training with a tilec operator: each rank takes its share of every batch, and
DistributedDataParallel adds up the gradients.

The loss is giou_training.py's operator, whose forward and backward are kernels.  It needs nothing of its
own to be trained on several ranks: gradients leave it as those of any operator do.  Each rank then trains
alone on whole batches, which must give the same losses.

    torchrun --nproc-per-node 2 -m tilec distributed_training.py        (needs PyTorch; NCCL where there are GPUs)
"""

import os

import torch
import torch.distributed as dist

from giou_training import as_boxes, giou

BATCH, STEPS = 256, 20  # a batch is one for all ranks, which divide it


def make_network(device):
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Linear(64, 4)).to(device)


def batches(device):
    """The same on every rank."""
    random = torch.Generator().manual_seed(1)
    for _ in range(STEPS):
        true = as_boxes(torch.randn(BATCH, 4, generator=random))
        yield true.to(device), (true + 0.05 * torch.randn(BATCH, 4, generator=random)).to(device)


def train(net, device, rank, ranks):
    """The losses of all steps, of this rank's share."""
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    losses = []
    for true, seen in batches(device):
        share = slice(rank * BATCH // ranks, (rank + 1) * BATCH // ranks)
        loss = (1 - giou(as_boxes(net(seen[share])), true[share])).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


def main():
    gpus = torch.cuda.device_count()
    dist.init_process_group("nccl" if gpus else "gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]) % gpus) if gpus else torch.device("cpu")
    if gpus:
        torch.cuda.set_device(device)
    net = torch.nn.parallel.DistributedDataParallel(make_network(device))
    losses = train(net, device, rank, ranks)
    dist.all_reduce(losses)
    alone = train(make_network(device), device, 0, 1)
    torch.testing.assert_close(losses / ranks, alone, atol=1e-4, rtol=1e-4)
    if rank == 0:
        print(f"{ranks} ranks: each loss is that of one rank alone; {alone[0]:.3f} at first, "
              f"{alone[-1]:.3f} after {STEPS} steps")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
